// What the admin's htmx must not do under the policy of config/http/csp.py: write styles into the page, or run text.
htmx.config.includeIndicatorStyles = false;
htmx.config.allowEval = false;
