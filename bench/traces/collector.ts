/**
 * A collector in a process of its own: `node bench/traces/collector.ts <port>`. It reads each request with spans to its end,
 * answers 200, and keeps nothing.
 */
import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume();
  request.once('end', () => response.writeHead(200).end());
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
