// The panel of results that arrive one after the other: events of a subscription, parts of a deferred query.

/** How many results the panel lists; older ones are removed. */
const MAX_SHOWN = 20;
/** How much of a result the list shows, in characters. */
const MAX_TEXT = 400;

/**
 * @param {HTMLElement} panel
 * @returns a function that begins a list. It takes the name of one result, "event" or "part", and returns the list's
 * methods: `state` shows the state of the connection, `add` one more result, `end` why there will be no more.
 */
export function createLive(panel) {
  const [stateLine, countLine, list] = ['state', 'count', 'list'].map((name) =>
    panel.querySelector(`[data-live="${name}"]`),
  );
  let current;

  return (kind) => {
    const own = {};
    current = own;
    const startedAt = performance.now();
    let count = 0;
    list.replaceChildren();
    countLine.textContent = '';
    panel.hidden = false;
    // A list that another run has replaced shows nothing more.
    const ifCurrent =
      (show) =>
      (...args) =>
        current === own ? show(...args) : undefined;
    const state = ifCurrent((name, text) => {
      panel.dataset.state = name;
      stateLine.textContent = text;
    });
    return {
      state,
      add: ifCurrent((result) => {
        count += 1;
        const millis = Math.round(performance.now() - startedAt);
        countLine.textContent = `${count} ${kind}${count === 1 ? '' : 's'}, the last after ${millis} ms`;
        list.prepend(item(kind, count, millis, result));
        while (list.children.length > MAX_SHOWN) list.lastElementChild.remove();
      }),
      end: ifCurrent((text) => {
        state('ended', text);
        current = undefined; // what the connection reports later is of no interest
      }),
    };
  };
}

function item(kind, number, millis, result) {
  const row = document.createElement('li');
  const title = document.createElement('span');
  const time = new Date().toLocaleTimeString([], { hour12: false });
  title.textContent = `${kind} ${number} · ${time} · ${millis} ms`;
  const content = document.createElement('code');
  content.textContent = textOf(result).slice(0, MAX_TEXT);
  row.append(title, content);
  return row;
}

/** A deferred part has its path, an event only its data. */
function textOf(result) {
  const parts = result.incremental ?? [result];
  return parts
    .map(({ path, label, data, items, errors }) => {
      const where = path ? `${path.join('.') || 'query'}${label ? ` (${label})` : ''}: ` : '';
      return where + JSON.stringify(errors ? { errors, data } : (data ?? items ?? {}));
    })
    .join(' ');
}
