import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import { decode, encode, RECURSION_DESIRED, type Answer } from 'dns-packet';

/** A name server that this process asks instead of those of the machine. */
export interface NameServer {
  /** The questions, e.g. `AAAA example.com`. */
  asked: string[];
  stop(): Promise<void>;
}

/** @param addresses the addresses of every name; `silent`: the server does not answer */
export async function startNameServer(addresses: readonly string[] | 'silent'): Promise<NameServer> {
  const before = dns.getServers();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    if (!question) return;
    asked.push(`${question.type} ${question.name}`);
    if (addresses === 'silent') return;
    const answers = addresses
      .filter((one) => (question.type === 'AAAA') === one.includes(':'))
      .map((data): Answer => ({ type: question.type as 'A' | 'AAAA', name: question.name, data, ttl: 1 }));
    // 128: recursion is available
    const flags = RECURSION_DESIRED | 128; // oxlint-disable-line no-bitwise -- flags of the DNS header
    socket.send(
      encode({ type: 'response', ...(id !== undefined && { id }), flags, questions, answers }),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    asked,
    async stop() {
      dns.setServers(before);
      socket.close();
      await once(socket, 'close');
    },
  };
}
