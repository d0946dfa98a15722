"""The routes below ``/v1/``; none ends in a slash."""

from __future__ import annotations

from django.urls import path

from tables.api import catalogue, live, narration, play, players, status, tables, talk, typed

TABLE = "tables/<uuid:table_id>"

urlpatterns = [
    path("players", players.Players.as_view()),
    path("sessions", players.Sessions.as_view()),
    path("me", players.Me.as_view()),
    path("me/tokens", players.Tokens.as_view()),
    path("me/tokens/<uuid:token_id>", players.OneToken.as_view()),
    path("me/turns", players.MyTurns.as_view()),
    path("me/mutes", talk.Mutes.as_view()),
    path("me/mutes/<str:player>", talk.OneMute.as_view()),
    path("games", catalogue.Games.as_view()),
    path("games/<str:game>", catalogue.OneGame.as_view()),
    path("games/<str:game>/schemas/<str:name>", catalogue.GameSchema.as_view()),
    *typed.routes(),
    path("tables", tables.Tables.as_view()),
    path(TABLE, tables.OneTable.as_view()),
    path(f"{TABLE}/join", tables.JoinTable.as_view()),
    path(f"{TABLE}/leave", tables.LeaveTable.as_view()),
    path(f"{TABLE}/start", tables.StartTable.as_view()),
    path(f"{TABLE}/resign", tables.ResignTable.as_view()),
    path(f"{TABLE}/rematch", tables.Rematch.as_view()),
    path(f"{TABLE}/moves", play.Moves.as_view()),
    path(f"{TABLE}/messages", talk.Messages.as_view()),
    path(f"{TABLE}/messages/read", talk.Read.as_view()),
    path(f"{TABLE}/messages/<int:position>/report", talk.Report.as_view()),
    path(f"{TABLE}/note", talk.Note.as_view()),
    path(f"{TABLE}/view", play.View.as_view()),
    path(f"{TABLE}/events", play.Events.as_view()),
    path(f"{TABLE}/narration", narration.Narration.as_view()),
    path(f"{TABLE}/transcript", play.Transcript.as_view()),
    path(f"{TABLE}/heads", play.Heads.as_view()),
    path("keys", status.Keys.as_view()),
    path("status", status.Status.as_view()),
    path("live/status", live.status),
]
