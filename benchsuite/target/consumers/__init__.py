"""The measured consumers of Channels: async and sync twins in one file each.

Importing this imports Channels, so nothing does but `routing`, and that only where WebSockets are
served.
"""
