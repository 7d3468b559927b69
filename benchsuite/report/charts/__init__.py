"""From stored series to charts."""
