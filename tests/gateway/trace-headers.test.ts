import { expect, it } from '@jest/globals';
import type { Span } from '#server/observability/tracing.ts';
import { forwardedHeaders, withTrace } from '../../gateway/subgraphs/forwarded-headers.ts';

const span = { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' } as Span;

it("the headers to a subgraph have the span's trace context, also if the client's request id is the text 'traceparent'", () => {
  const headers = forwardedHeaders({
    requestId: 'traceparent',
    traceparent: '00-a-b-01',
    address: '192.0.2.1',
  });
  const sent = withTrace(headers, span);
  const pairs = sent.flatMap((name, index) => (index % 2 === 0 ? [[name, sent[index + 1]]] : []));
  expect(Object.fromEntries(pairs)).toMatchObject({
    'x-request-id': 'traceparent',
    traceparent: span.traceparent,
    'x-forwarded-for': '192.0.2.1',
  });
  expect(headers).toContain('00-a-b-01'); // the list that all fetches share is unchanged
});
