import { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { oneAfterTheOther } from '#server/http/sockets.ts';
import { FrameBoundaries } from './frame-boundaries.ts';

/** A close frame of a server with 1001 (RFC 6455, 5.2 and 7.4.1). */
const GOING_AWAY = Buffer.from([0x88, 0x02, 1001 >> 8, 1001 & 0xff]);
/** A client that does not close its side within this time is disconnected. */
const CLOSE_ANSWER_MILLIS = 1_000; // 1 s

/**
 * The WebSockets between clients and services that the gateway forwards byte by byte. At a stop each client gets a close
 * frame with 1001, as on the gateway's own sockets, so that it connects to another replica.
 */
export class ForwardedSockets {
  private readonly open = new Map<Duplex, () => Promise<void>>();
  /** Sockets whose upgrade the service has not answered. */
  private readonly waiting = new Set<Duplex>();
  private readonly answerMillis: number;
  private isClosing = false;

  /** @param answerMillis the time limit of a service's answer to an upgrade, in milliseconds */
  constructor(answerMillis: number) {
    this.answerMillis = answerMillis;
  }

  /** @param client the socket of a client, before its upgrade is forwarded */
  add(client: Duplex): void {
    this.waiting.add(client);
    const timeout = setTimeout(() => client.destroy(), this.answerMillis);
    const answered = (): void => {
      clearTimeout(timeout);
      this.waiting.delete(client);
    };
    client.once('pipe', answered).once('close', answered);
    client.once('pipe', (service: Readable) => {
      // If the source is not a socket, it is the HTTP response of a service that refuses the upgrade.
      if (!(service instanceof Socket) || client.destroyed) return;
      const boundaries = new FrameBoundaries();
      service.on('data', (chunk: Buffer) => boundaries.read(chunk));
      this.open.set(client, () => close(client, service, boundaries));
      client.once('close', () => this.open.delete(client));
      if (this.isClosing) void close(client, service, boundaries);
    });
  }

  close(withinMillis: number): Promise<void> {
    this.isClosing = true;
    for (const client of this.waiting) client.destroy();
    return oneAfterTheOther([...this.open.values()], (closeOne) => closeOne(), withinMillis);
  }
}

function close(client: Duplex, service: Socket, boundaries: FrameBoundaries): Promise<void> {
  if (client.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timeout = setTimeout(() => client.destroy(), CLOSE_ANSWER_MILLIS);
    client.once('close', () => {
      clearTimeout(timeout);
      service.destroy();
      resolve();
    });
    const end = (): void => {
      if (!boundaries.isBetweenFrames) return;
      service.off('data', end);
      service.unpipe(client);
      client.unpipe(service);
      client.resume(); // so that the client's close frame is read, and then the end of its side
      client.end(GOING_AWAY);
    };
    service.on('data', end);
    end();
  });
}
