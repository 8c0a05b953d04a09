"""The typed config: schema, YAML loader, overrides, lookup by name."""
