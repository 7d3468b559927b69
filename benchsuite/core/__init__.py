"""The values that every room shares: specs, results, units, errors."""
