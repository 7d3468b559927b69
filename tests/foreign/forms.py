"""Forms as people write them, with rules that the page itself does not show."""

from datetime import date

from django import forms
from django.core.validators import FileExtensionValidator, RegexValidator


class Contact(forms.Form):
    name = forms.CharField(min_length=3, max_length=40)
    email = forms.EmailField()
    subject = forms.ChoiceField(choices=[("", "Choose …"), ("a", "Offer"), ("b", "Complaint")])


class Details(forms.Form):
    age = forms.IntegerField(min_value=18, max_value=99)
    born = forms.DateField(widget=forms.DateInput(attrs={"type": "date"}))
    weekdays = forms.MultipleChoiceField(
        choices=[(str(day), f"Day {day}") for day in range(7)], widget=forms.CheckboxSelectMultiple
    )

    def clean_born(self) -> date:
        born: date = self.cleaned_data["born"]
        if born >= date.today():
            raise forms.ValidationError("The date must be in the past.")
        return born


class Consent(forms.Form):
    comment = forms.CharField(widget=forms.Textarea, required=False)
    agree = forms.BooleanField(label="I agree to the terms")


class Application(forms.Form):
    """Most rules of this one are only said in its errors."""

    full_name = forms.CharField()
    code = forms.CharField(
        validators=[RegexValidator(r"^[A-Z]{2}-\d{4}$", "Write the code like AB-1234.")]
    )
    seats = forms.CharField(help_text="How many seats you need.")
    tags = forms.MultipleChoiceField(choices=[(letter, letter) for letter in "abcdef"])
    start = forms.DateField(help_text="When you can start.")
    password = forms.CharField(widget=forms.PasswordInput, min_length=10)
    password_again = forms.CharField(widget=forms.PasswordInput)
    cv = forms.FileField(validators=[FileExtensionValidator(["pdf"])])
    size = forms.ChoiceField(choices=[("s", "S"), ("m", "M")], widget=forms.RadioSelect)

    def clean_seats(self) -> int:
        try:
            seats = int(self.cleaned_data["seats"])
        except ValueError:
            raise forms.ValidationError("Enter a whole number.") from None
        if not 3 <= seats <= 7:
            raise forms.ValidationError("Choose a number between 3 and 7.")
        return seats

    def clean_tags(self) -> list[str]:
        tags: list[str] = self.cleaned_data["tags"]
        if len(tags) != 4:
            raise forms.ValidationError("Please select exactly 4 tags.")
        return tags

    def clean_start(self) -> date:
        start: date = self.cleaned_data["start"]
        if start <= date.today():
            raise forms.ValidationError("The date must be in the future.")
        return start

    def clean(self) -> None:
        found = self.cleaned_data
        if found.get("password") != found.get("password_again"):
            self.add_error("password_again", "The two password fields didn’t match.")
