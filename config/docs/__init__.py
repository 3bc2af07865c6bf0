"""The project's documents as pages, and the OpenAPI document with its examples."""
