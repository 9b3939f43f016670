// GraphiQL stores tabs and history in localStorage, including headers. Access tokens must not be stored there.

/** Removes bearer tokens from stored values, unless the user has switched on "Persist headers" in GraphiQL. */
export function storageWithoutTokens(storage) {
  const keepsHeaders = () => storage.getItem('graphiql:shouldPersistHeaders') === 'true';
  return {
    getItem: (key) => storage.getItem(key),
    setItem: (key, value) => storage.setItem(key, keepsHeaders() ? value : withoutTokens(value)),
    removeItem: (key) => storage.removeItem(key),
    clear: () => {
      for (const key of Object.keys(storage)) if (key.startsWith('graphiql:')) storage.removeItem(key);
    },
    get length() {
      return storage.length;
    },
  };
}

const withoutTokens = (text) => text.replaceAll(/\bBearer\s+[\w.~+/=-]+/gi, '');
