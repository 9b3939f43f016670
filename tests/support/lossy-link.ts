import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** An address through which a Redis is reached, and which can lose the messages to subscribers, without closing anything. */
export interface LossyLink {
  url: string;
  /** From now on, connections that have subscribed to something get no messages, but other answers. New connections work. */
  dropMessages(): void;
  close(): Promise<void>;
}

/** @param atPort the port of the address; 0 for a free one */
export async function openLossyLink(redisUrl: string, atPort = 0): Promise<LossyLink> {
  const { hostname, port } = new URL(redisUrl);
  const links = new Set<{ near: Socket; far: Socket; isSubscriber: boolean; isLossy: boolean }>();
  const server = createServer((near) => {
    const link = { near, far: connect(Number(port), hostname), isSubscriber: false, isLossy: false };
    links.add(link);
    near.on('data', (data) => {
      link.isSubscriber ||= /subscribe/i.test(data.toString('latin1'));
      link.far.write(data);
    });
    link.far.on('data', (data) => (link.isLossy && data.includes('message')) || near.write(data));
    for (const [one, other] of [
      [near, link.far],
      [link.far, near],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  }).listen(atPort, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropMessages() {
      for (const link of links) link.isLossy = link.isSubscriber;
    },
    async close() {
      for (const { near, far } of links) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
