"""The models: each turns a pre-token into tokens."""
