// GraphiQL keeps its editors to itself; Monaco's own interface (`globalAPI`) finds them by the names of their files.

/** Waits until GraphiQL has made its editors. */
export async function connectEditors() {
  const query = await modelOf('operation.graphql');
  const variables = await modelOf('variables.json');
  const headers = await modelOf('request-headers.json');
  let authorization = '';
  const given = new Set(['']); // what we have filled in: that, and nothing of the user's, may be replaced

  const write = (parsed, value) => {
    const name = nameIn(parsed) ?? 'Authorization';
    if (parsed[name] !== value)
      headers.setValue(`${JSON.stringify({ ...parsed, [name]: value }, null, 2)}\n`);
  };
  const fill = () => {
    const parsed = headersIn(headers.getValue());
    if (parsed && given.has(parsed[nameIn(parsed)])) write(parsed, authorization);
  };
  // Another tab, an entry of the history: an empty Authorization is filled wherever it comes from.
  headers.onDidChangeContent(() => queueMicrotask(fill));

  return {
    onQuery(listener) {
      query.onDidChangeContent(() => listener(query.getValue()));
      listener(query.getValue());
    },

    /** Somebody has logged in: whatever stood there goes. False where the headers are no JSON, which are left alone. */
    authorizeAs(value) {
      authorization = value;
      given.add(value);
      const parsed = headersIn(headers.getValue());
      if (parsed) write(parsed, value);
      return parsed !== undefined;
    },

    /** The same person's next one, or an empty one after her: what somebody typed or removed stays so. */
    reauthorize(value) {
      authorization = value;
      given.add(value);
      fill();
    },

    /** An operation in a tab of its own. */
    async open(example) {
      document.querySelector('.graphiql-tab-add')?.click();
      await nextPaint();
      query.setValue(example.query);
      variables.setValue(example.variables ?? '');
      document.querySelector('.graphiql-query-editor .graphiql-editor')?.focus();
    },
  };
}

async function modelOf(fileName) {
  for (;;) {
    const found = globalThis.monaco?.editor.getModels().find(({ uri }) => uri.path.endsWith(fileName));
    if (found) return found;
    await nextPaint();
  }
}

// A timer as well, because a page in the background is not painted.
const nextPaint = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100); // 0.1 s
  });

const nameIn = (headers) => Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');

function headersIn(text) {
  if (!text.trim()) return {};
  try {
    const parsed = JSON.parse(text);
    return parsed && typeof parsed === 'object' && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
