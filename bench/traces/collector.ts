/** A collector in a process of its own, which reads the spans and answers: `node bench/traces/collector.ts <port>`. */
import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume();
  request.once('end', () => response.writeHead(200).end());
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
