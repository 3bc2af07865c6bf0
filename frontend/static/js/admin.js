// The content policy (config/http/csp.py) forbids htmx to write styles into the page and to run text as code.
htmx.config.includeIndicatorStyles = false;
htmx.config.allowEval = false;
