"""A wizard, a crispy page, and pages on which nobody can get to the end."""

from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Submit
from django.core.files.storage import InMemoryStorage
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import FormView
from formtools.wizard.views import SessionWizardView

from tests.foreign.forms import Application, Consent, Contact, Details

received: list[dict[str, Any]] = []
"""What was handed in to the end, newest last."""


class Wizard(SessionWizardView):
    form_list = [Contact, Details, Consent]
    file_storage = InMemoryStorage()

    def done(self, form_list: Any, **kwargs: Any) -> HttpResponse:
        received.append(
            {name: value for form in form_list for name, value in form.cleaned_data.items()}
        )
        return HttpResponse("<h1>Thank you</h1>")


class Crispy(FormView):
    form_class = Application
    template_name = "foreign/crispy.html"
    success_url = "/thanks/"

    def get_form(self, form_class: Any = None) -> Application:
        form = super().get_form(form_class)
        form.helper = FormHelper()
        form.helper.form_method = "post"
        form.helper.add_input(Submit("hand_in", "Apply"))
        return form

    def form_valid(self, form: Application) -> HttpResponse:
        received.append({**form.cleaned_data, "button": form.data.get("hand_in")})
        return super().form_valid(form)


class Paragraphs(Crispy):
    """The same form as Django itself writes it, errors before their paragraphs."""

    template_name = "foreign/paragraphs.html"


def thanks(request: HttpRequest) -> HttpResponse:
    return render(request, "foreign/thanks.html")


@csrf_exempt
def endless(request: HttpRequest, number: int) -> HttpResponse:
    if request.method == "POST":
        return redirect(f"/endless/{number + 1}/")
    return _form(f'<label>Question {number} <input name="q{number}" required></label>')


@csrf_exempt
def stubborn(request: HttpRequest) -> HttpResponse:
    problem = '<ul class="errorlist"><li>This is not the answer.</li></ul>'
    return _form(
        (problem if request.method == "POST" else "") + '<p>Name: <input name="answer"></p>'
    )


@csrf_exempt
def breaks(request: HttpRequest, number: int) -> HttpResponse:
    if request.method == "POST":
        if number == 2:
            return HttpResponse("<h1>Server Error (500)</h1>", status=500)
        return redirect(f"/breaks/{number + 1}/")
    return _form('<input name="a">')


@csrf_exempt
def by_script(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        received.append(request.POST.dict())
        return HttpResponse("<h1>Gotowe</h1>")
    return HttpResponse(
        '<form method="post"><input name="a"><input name="b">'
        '<button type="button" onclick="this.form.submit()">OK</button></form>'
    )


STILL = {
    "captcha": '<input name="a"><div class="g-recaptcha" data-sitekey="k"></div>',
    "unfillable": '<label>Serial number <input name="serial" pattern="[" required></label>',
    "without-token": '<input name="a">',
    "to-elsewhere": '<input name="a">',
}
"""Forms that nobody gets beyond."""


def still(request: HttpRequest, name: str) -> HttpResponse:
    return _form(STILL[name], "http://example.org/collect" * (name == "to-elsewhere"))


def forbidden(request: HttpRequest) -> HttpResponse:
    return HttpResponseForbidden("no")


def _form(inner: str, action: str = "") -> HttpResponse:
    return HttpResponse(
        f'<!DOCTYPE html><title>T</title><form method="post" action="{action}">{inner}'
        "<button>Next</button></form>"
    )
