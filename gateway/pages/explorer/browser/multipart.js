// Reads a multipart answer part by part (RFC 2046), as the gateway sends the parts of a deferred operation.

/** The parts of a response, each parsed from JSON, as they arrive. Undefined if the response is not multipart. */
export function partsOf(answer) {
  const type = answer.headers.get('Content-Type') ?? '';
  if (!type.startsWith('multipart/mixed')) return undefined;
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1] ?? '-';
  // The line break belongs to the delimiter: JSON contains none, so that no value can be taken for a delimiter.
  return jsonParts(answer.body, `\r\n--${boundary}`);
}

async function* jsonParts(body, delimiter) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '\r\n'; // the first delimiter may have none
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const parts = text.split(delimiter);
      text = parts.pop(); // the part whose end has not arrived
      for (const part of parts) {
        const json = contentOf(part);
        if (json) yield JSON.parse(json);
      }
      if (text.startsWith('--')) return; // the closing delimiter
    }
  } finally {
    await reader.cancel(); // the client has stopped: the gateway should, too
  }
}

/** The text after the empty line that ends the headers of a part; empty for the preamble. */
function contentOf(part) {
  const end = part.indexOf('\r\n\r\n');
  return end === -1 ? '' : part.slice(end + 4).trim();
}
