from django.contrib import admin
from django.urls import path

from tests.foreign import views

urlpatterns = [
    path("admin/", admin.site.urls),
    path("wizard/", views.Wizard.as_view()),
    path("crispy/", views.Crispy.as_view()),
    path("paragraphs/", views.Paragraphs.as_view()),
    path("thanks/", views.thanks),
    path("no-form/", views.no_form),
    path("endless/<int:number>/", views.endless),
    path("stubborn/", views.stubborn),
    path("by-script/", views.by_script),
    path("breaks/<int:number>/", views.breaks),
    path("captcha/", views.captcha),
    path("unfillable/", views.unfillable),
    path("without-token/", views.without_token),
    path("in-circles/", views.in_circles),
    path("to-elsewhere/", views.to_elsewhere),
    path("forbidden/", views.forbidden),
]
