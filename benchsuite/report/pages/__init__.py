"""What the pages show: tables, filters, periods."""
