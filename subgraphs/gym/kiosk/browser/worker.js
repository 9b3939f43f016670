// A service worker that lets the page open while the network is gone. It always asks the network first, so that a new
// release is used at once, and only stores the files of the page, not requests to the services.

const CACHE = 'kiosk';
const folder = new URL('.', location.href).href; // .../kiosk/
const page = folder.slice(0, -1);
const isOfPage = (url) => url === page || url.startsWith(folder);

addEventListener('install', (event) => event.waitUntil(skipWaiting()));
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const url = event.request.url.replace(/[?#].*$/, '');
  if (event.request.method === 'GET' && isOfPage(url)) event.respondWith(answer(event.request, url));
});

async function answer(request, url) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(url, response.clone());
    return response;
  } catch (error) {
    const stored = await cache.match(url);
    if (stored) return stored;
    throw error;
  }
}
