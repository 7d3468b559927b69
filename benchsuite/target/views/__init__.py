"""The measured views: `sync` and `async_` hold twins of the same names."""
