import { expect, it } from '@jest/globals';
import { formatFor } from '#server/observability/metrics.ts';

it.each([
  [undefined, 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/html', 'prometheus'],
  ['application/openmetrics-text', 'openmetrics'],
  ['application/openmetrics-text;q=0', 'prometheus'],
  ['application/openmetrics-text;q=0,*/*', 'prometheus'],
  ['application/openmetrics-text; version=1.0.0; q=0.3, text/plain; version=0.0.4; q=0.9', 'prometheus'],
  ['text/plain;q=0.3,application/openmetrics-text;version=1.0.0', 'openmetrics'],
  // of Prometheus 3
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'openmetrics',
  ],
])('metrics for "Accept: %s" have the format %s', (accept, format) => {
  expect(formatFor(accept)).toBe(format);
});
