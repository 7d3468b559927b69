"""The page, at its own address and where today's target has it."""

from django.conf.urls import url

from heritage.views import plain, slow

urlpatterns = [
    url(r"^$", plain),
    url(r"^bench/plain/$", plain),
    url(r"^slow/$", slow),
]
