// GraphiQL keeps its editors to itself; Monaco's own interface (`globalAPI`) finds them by the names of their files.

/** Waits until GraphiQL has made its editors. */
export async function connectEditors() {
  const query = await modelOf('operation.graphql');
  const variables = await modelOf('variables.json');
  const headers = await modelOf('request-headers.json');
  let authorization = '';
  const given = new Set(['']); // what we have filled in: that, and nothing of the user's, may be replaced

  const fill = () => {
    const parsed = headersIn(headers.getValue());
    const name = parsed && Object.keys(parsed).find((key) => key.toLowerCase() === 'authorization');
    if (!name || !given.has(parsed[name]) || parsed[name] === authorization) return;
    headers.setValue(`${JSON.stringify({ ...parsed, [name]: authorization }, null, 2)}\n`);
  };
  // Another tab, an entry of the history: an empty Authorization is filled wherever it comes from.
  headers.onDidChangeContent(() => queueMicrotask(fill));

  return {
    query: () => query.getValue(),
    onQuery(listener) {
      query.onDidChangeContent(() => listener(query.getValue()));
      listener(query.getValue());
    },

    /** Fills the Authorization of the headers in; an empty one at log-out. Headers that are no JSON are left alone. */
    authorize(value) {
      authorization = value;
      given.add(value);
      const parsed = headersIn(headers.getValue());
      const isThere = parsed && Object.keys(parsed).some((key) => key.toLowerCase() === 'authorization');
      if (value && parsed && !isThere)
        headers.setValue(`${JSON.stringify({ ...parsed, Authorization: '' }, null, 2)}\n`);
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

function headersIn(text) {
  if (!text.trim()) return {};
  try {
    const parsed = JSON.parse(text);
    return parsed && typeof parsed === 'object' && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
