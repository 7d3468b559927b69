"""The measured consumers of Channels: async and sync twins in one file each.

Importing this imports Channels, so only `routing` does, where WebSockets are served.
"""
