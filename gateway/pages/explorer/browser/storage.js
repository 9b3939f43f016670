// GraphiQL keeps tabs and history in localStorage, headers included. Access tokens are none of its business there.

/** The storage without bearer tokens, unless the user has asked GraphiQL to keep headers ("Persist headers"). */
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
