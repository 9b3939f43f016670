// What the page keeps in this browser over a restart: its settings, and the scans that have not been answered yet.

const opened = new Promise((resolve, reject) => {
  const request = indexedDB.open('kiosk', 1);
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore('settings');
    request.result.createObjectStore('scans', { keyPath: 'number', autoIncrement: true });
  });
  request.addEventListener('success', () => resolve(request.result));
  request.addEventListener('error', () =>
    reject(new Error('the browser stores nothing', { cause: request.error })),
  );
});

/**
 * Runs one request in a transaction of its own. The promise resolves when the transaction is complete, because only then are
 * the data stored.
 */
async function run(storeName, mode, ask) {
  const database = await opened;
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(storeName, mode);
    const request = ask(transaction.objectStore(storeName));
    transaction.addEventListener('complete', () => resolve(request.result));
    const fail = () => reject(new Error('the browser did not store it', { cause: transaction.error }));
    transaction.addEventListener('error', fail);
    transaction.addEventListener('abort', fail);
  });
}

export const settings = {
  read: () => run('settings', 'readonly', (store) => store.get('kiosk')),
  write: (value) => run('settings', 'readwrite', (store) => store.put(value, 'kiosk')),
  clear: () => run('settings', 'readwrite', (store) => store.clear()),
};

export const scans = {
  /** Stores a scan; it gets the next number. */
  add: (scan) => run('scans', 'readwrite', (store) => store.add(scan)),
  /** The oldest scan. */
  first: async () => (await run('scans', 'readonly', (store) => store.getAll(null, 1)))[0],
  count: () => run('scans', 'readonly', (store) => store.count()),
  remove: (number) => run('scans', 'readwrite', (store) => store.delete(number)),
  clear: () => run('scans', 'readwrite', (store) => store.clear()),
};
