"""The one table of submit options, and what is made of it: values, layers, directives, the request."""
