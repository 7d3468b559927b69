from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from tests.foreign import views

urlpatterns = [
    path("admin/", admin.site.urls),
    path("wizard/", views.Wizard.as_view()),
    path("crispy/", views.Crispy.as_view()),
    path("paragraphs/", views.Paragraphs.as_view()),
    path("thanks/", views.thanks),
    path("no-form/", views.thanks),
    path("endless/<int:number>/", views.endless),
    path("stubborn/", views.stubborn),
    path("by-script/", views.by_script),
    path("breaks/<int:number>/", views.breaks),
    *(path(f"{name}/", views.still, {"name": name}) for name in views.STILL),
    path("in-circles/", RedirectView.as_view(url="/in-circles/")),
    path("forbidden/", views.forbidden),
]
