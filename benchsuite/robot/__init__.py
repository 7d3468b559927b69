"""The robot: completes any multi-page HTML form, given a URL and a client.

Plain Python without Django and Locust. `benchsuite.robot.walk.complete()` is the whole of it.
"""
