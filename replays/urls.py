"""The addresses of replays; config.urls puts the API's under /api/v1/ and the pages' at the root."""

from __future__ import annotations

from django.urls import path

from replays import api, explanations, fault_page
from replays import views as replays_views
from replays.dataset import api as dataset_api
from replays.export import link_pictures
from replays.introductions import api as introductions_api
from replays.introductions.views import introduction_page
from replays.practice import api as practice_api
from replays.practice import views as practice_views
from replays.review import api as review_api
from replays.review.views import review_page
from replays.stream import bot_api

api_urlpatterns = [
    path("dataset/", dataset_api.DatasetView.as_view(), name="api-dataset"),
    path("dataset/file/", dataset_api.DatasetDownloadView.as_view(), name="api-dataset-file"),
    path("me/games/events/", bot_api.MineView.as_view(), name="api-my-games-events"),
    path("games/<str:public_id>/asks/", bot_api.AsksView.as_view(), name="api-asks"),
    path("games/<str:public_id>/replay/", api.ReplayView.as_view(), name="api-replay"),
    path("games/<str:public_id>/commentary/<str:secret>/", api.CommentaryView.as_view(), name="api-commentary"),
    path("games/<str:public_id>/result/", api.ResultView.as_view(), name="api-result"),
    path("games/<str:public_id>/export/", api.GameExportView.as_view(), name="api-export"),
    path("games/<str:public_id>/verify/", api.VerifyView.as_view(), name="api-verify"),
    path("games/<str:public_id>/luck/", review_api.LuckView.as_view(), name="api-luck"),
    path("games/<str:public_id>/review/<int:seat>/", review_api.ReviewView.as_view(), name="api-review"),
    path("me/mistakes/", practice_api.MyMistakesView.as_view(), name="api-my-mistakes"),
    path("me/mistakes/<int:exercise>/", practice_api.MyMistakeView.as_view(), name="api-my-mistake"),
    path("me/mistakes/<int:exercise>/answer/", practice_api.AnswerMistakeView.as_view(), name="api-my-mistake-answer"),
    path("kinds/<slug:kind>/introduction/", introductions_api.IntroductionView.as_view(), name="api-introduction"),
    path("kinds/<slug:kind>/explanations/", explanations.ExplanationsView.as_view(), name="api-explanations"),
    path("puzzles/", practice_api.PuzzlesView.as_view(), name="api-puzzles"),
    path("puzzles/<str:kind>/<str:date>/", practice_api.PuzzleView.as_view(), name="api-puzzle"),
    path("games/<str:public_id>/continue/", api.ContinueView.as_view(), name="api-continue"),
]

page_urlpatterns = [
    path("rules/<slug:kind>/introduction/", introduction_page, name="introduction"),
    path("puzzles/", practice_views.puzzle_list, name="puzzles"),
    path("puzzles/<str:kind>/<str:date>/", practice_views.puzzle_page, name="puzzle"),
    path("puzzles/<str:kind>/<str:date>/picture.png", practice_views.puzzle_picture, name="puzzle-picture"),
    path("me/mistakes/", practice_views.my_mistakes, name="my-mistakes"),
    path("me/mistakes/<int:exercise>/", practice_views.my_mistake, name="my-mistake"),
    path("faults/<int:pk>/", fault_page.fault, name="fault"),
    path("games/<str:public_id>/review/<int:seat>/", review_page, name="review"),
    path("oembed/", link_pictures.oembed, name="oembed"),
    path("games/<str:public_id>/picture.png", link_pictures.game_picture, name="game-picture"),
    path("games/<str:public_id>/embed/", replays_views.EmbedPage.as_view(), name="embed"),
    path("games/<str:public_id>/broadcast/", replays_views.BroadcastPage.as_view(), name="broadcast"),
    path("games/<str:public_id>/commentary/<str:secret>/", replays_views.CommentaryPage.as_view(), name="commentary"),
    path("games/<str:public_id>/", replays_views.ReplayPage.as_view(), name="replay"),
]
