// The page: GraphiQL as packed by ruru, with its own transport, a bar with examples, files, search and log-in above it, and
// the results that arrive one after the other below it.
import { createRoot, React, Ruru } from '../graphiql/ruru.js';
import { correctTabs } from './accessible-tabs.js';
import { createDocsSearch } from './docs-search.js';
import { connectEditors } from './editors.js';
import { EXAMPLES } from './examples.js';
import { showExamples } from './example-choice.js';
import { createLive } from './live.js';
import { notify, showLogIn } from './log-in.js';
import { createSession } from './session.js';
import { storageWithoutTokens } from './storage.js';
import { createTransport } from './transport.js';
import { createUploads } from './uploads.js';

const settings = JSON.parse(document.getElementById('settings').textContent);
const graphUrl = new URL('graphql', document.baseURI).href;
const asset = (name) => new URL(`explorer/graphiql/${name}`, document.baseURI);

const WORKERS = { json: 'jsonWorker.js', graphql: 'graphqlWorker.js' };
globalThis.MonacoEnvironment = {
  globalAPI: true, // sets `globalThis.monaco`, which editors.js needs
  getWorker: (_id, language) => new Worker(asset(WORKERS[language] ?? 'editorWorker.js'), { type: 'module' }),
};

const session = createSession(graphUrl);
const uploads = createUploads(document.getElementById('files'));
const live = createLive(document.getElementById('live'));
const docsSearch = createDocsSearch(document.getElementById('docs-search'));
// On a telephone the operation needs the space; a log-in fills in the header without showing it.
const isNarrow = matchMedia('(max-width: 48rem)').matches;
let schema;

createRoot(document.getElementById('graphiql')).render(
  React.createElement(Ruru, {
    endpoint: graphUrl,
    fetcher: createTransport(graphUrl, { session, uploads, live }),
    storage: storageWithoutTokens(localStorage),
    isHeadersEditorEnabled: true,
    showPersistHeadersSettings: true,
    defaultEditorToolsVisibility: isNarrow ? false : 'headers',
    defaultHeaders: '{\n  "Authorization": ""\n}\n',
    defaultQuery: settings.isOurs ? EXAMPLES[0].query : '{ __typename }\n',
    onSchemaChange(loaded) {
      schema = loaded;
      uploads.useSchema(schema);
      docsSearch.useSchema(schema);
    },
  }),
);

correctTabs(document.getElementById('graphiql'));
const editors = await connectEditors();
editors.onQuery((query) => uploads.useQuery(query));
await openAddress();
if (settings.isOurs) {
  showExamples(EXAMPLES, (example) => editors.open(example));
  showLogIn(session, settings);
  session.onChange((change) => {
    if (change !== 'log-in') editors.reauthorize(session.authorization());
    else if (!editors.authorizeAs(session.authorization()))
      notify(
        'The headers are not valid JSON, so the token could not be filled in. Correct them and log in again.',
      );
    // If only admins may read the schema, it was refused before the log-in; this key makes GraphiQL read it again.
    if (!schema && session.user)
      window.dispatchEvent(new KeyboardEvent('keydown', { ctrlKey: true, key: 'R' }));
  });
}

/** Fills in `/explorer?query=...&variables=...`, to which `GET /graphql` redirects a browser. The user has to run it. */
async function openAddress() {
  const { searchParams } = new URL(location.href);
  const query = searchParams.get('query');
  if (query === null) return;
  await editors.open({ query, variables: searchParams.get('variables') ?? '' });
  // A reload must not open it a second time.
  history.replaceState(null, '', location.pathname);
}
