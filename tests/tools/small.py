"""A small document that keeps every rule, for tests to break one at a time."""

from __future__ import annotations

import copy
from typing import Any

import yaml

_PROBLEMS = {
    status: {
        "description": "Refused.",
        "x-codes": [code],
        "content": {
            "application/problem+json": {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {code: {"value": {"code": code}}},
            }
        },
    }
    for status, code in (("401", "unauthenticated"), ("429", "rate_limited"))
}
_TEXT = """
openapi: 3.1.0
info: {title: Small, version: '1'}
tags:
- {name: tables, description: Tables.}
- {name: hooks, description: What the server sends.}
paths:
  /v1/tables:
    post:
      operationId: openTable
      summary: Open a table
      description: Open a table.
      tags: [tables]
      x-since: 1
      security: [{bearerAuth: []}, {oauth2: [tables]}]
      parameters:
      - name: Idempotency-Key
        in: header
        schema: {type: string, pattern: '^[a-z]+$', minLength: 1, maxLength: 255}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/NewTable'}
            examples: {one: {value: {game: reafan}}}
      responses:
        '201':
          description: Opened.
          headers: {ETag: {required: true, schema: {type: string}}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Table'}
              examples: {one: {value: {id: a, seats: [1]}}}
          links:
            getTable: {operationId: getTable, parameters: {table_id: '$response.body#/id'}}
  /v1/tables/{table_id}:
    get:
      operationId: getTable
      summary: Look at a table
      description: Look at a table.
      tags: [tables]
      x-since: 1
      security: [{bearerAuth: []}, {oauth2: [tables]}]
      parameters:
      - {name: table_id, in: path, required: true, description: The table., schema: {type: string}}
      - {name: at, in: query, schema: {type: integer, minimum: 1, maximum: 9, default: 3}}
      responses:
        '200':
          description: The table.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Table'}
              examples: {one: {value: {id: a, seats: []}}}
webhooks:
  turn:
    post:
      operationId: turn
      summary: A turn
      description: It is somebody's turn.
      tags: [hooks]
      x-since: 1
      security: []
      requestBody:
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Turn'}
            examples: {one: {value: {turn: 1}}}
      responses: {'204': {description: Heard.}}
components:
  securitySchemes:
    bearerAuth: {type: http, scheme: bearer}
    oauth2: {type: oauth2, flows: {authorizationCode: {scopes: {tables: Tables.}}}}
  schemas:
    Problem: {type: object, properties: {code: {type: string}}, required: [code]}
    Turn: {type: object, properties: {turn: {type: integer}}, required: [turn]}
    Seat: {type: object, properties: {player: {type: string}}}
    NewTable:
      type: object
      additionalProperties: false
      required: [game]
      properties:
        game: {type: string, maxLength: 40, enum: [reafan, arrecife]}
        title: {type: [string, 'null'], default: ''}
        seats: {type: number}
    Table:
      type: object
      required: [id, seats]
      properties:
        id: {type: string, format: uuid}
        title: {type: string}
        host: {oneOf: [{$ref: '#/components/schemas/Seat'}, {type: 'null'}]}
        seats: {type: array, items: {type: integer}}
"""
_DOCUMENT = yaml.safe_load(_TEXT)
for _path in _DOCUMENT["paths"].values():
    for _operation in _path.values():
        _operation["responses"] |= _PROBLEMS


def document() -> dict[str, Any]:
    """Return the document, to be changed at will."""
    return copy.deepcopy(_DOCUMENT)


def at(document: dict[str, Any], path: str) -> tuple[Any, Any]:
    """Return what holds the place that a path of steps between bars names, and its last step."""
    *steps, last = [int(step) if step.isdigit() and len(step) == 1 else step for step in path.split("|")]
    for step in steps:
        document = document[step]
    return document, last
