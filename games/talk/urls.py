"""The addresses of talk: pages and, for config.urls, its part of the API."""

from __future__ import annotations

from django.urls import path

from games.talk import api, views

page_urlpatterns = [
    path("talk/messages/<int:pk>/", views.message_page, name="talk-message"),
    path("talk/messages/<int:pk>/remove/", views.remove_page, name="talk-remove"),
    path("talk/<slug:place>/<slug:of>/", views.room_page, name="talk"),
    path("me/talk/", views.own_page, name="me-talk"),
    path("me/mutes/<int:pk>/", views.mute_page, name="me-mute"),
    path("me/notes/<slug:about>/<slug:of>/", views.note_page, name="me-note"),
]

api_urlpatterns = [
    path("talk/phrases/", api.PhrasesView.as_view(), name="api-phrases"),
    path("talk/messages/<int:pk>/remove/", api.RemoveView.as_view(), name="api-message-remove"),
    path("talk/<slug:place>/<slug:of>/", api.MessagesView.as_view(), name="api-talk"),
    path("me/notes/", api.NotesView.as_view(), name="api-notes"),
    path("me/notes/<slug:about>/<slug:of>/", api.NoteView.as_view(), name="api-note"),
    path("me/mutes/", api.MutesView.as_view(), name="api-mutes"),
    path("me/mutes/<int:pk>/", api.MuteView.as_view(), name="api-mute"),
]
