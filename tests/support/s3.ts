import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';

export type Fault =
  | 'none'
  /** Connections are reset at once. */
  | 'refuse'
  /** Connections are accepted, and nothing is answered. */
  | 'hang'
  /** Connections are closed in the middle of an answer. */
  | 'cut'
  /** Connections stay open in the middle of an answer, without its rest. */
  | 'stall';

/** An S3-compatible server of the test, behind a proxy that can fail. */
export interface OwnS3 {
  /** A `FILES_URL` of a bucket of its own. The time limit leaves room for a busy machine. */
  filesUrl: string;
  /** The URL of the same bucket with a time limit of 0.7 s, for calls that are expected to fail. */
  impatientFilesUrl: string;
  /** From now on, connections have this fault. Open connections are closed. */
  fail(fault: Fault): void;
  stop(): Promise<void>;
}

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }; // those of the package
const FAILS_AFTER_BYTES = 20_000; // of the answers of one connection

export async function startS3(bucket = 'files'): Promise<OwnS3> {
  Object.assign(process.env, CREDENTIALS);
  const directory = await mkdtemp(path.join(os.tmpdir(), 's3-test-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    // The package computes other signatures than the SDK for requests to a bucket itself. It still checks the key's id.
    allowMismatchedSignatures: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await server.run();
  const proxy = await failingProxy(port);
  const url = `s3://${bucket}/test?endpoint=http://127.0.0.1:${proxy.port}&forcePathStyle=true`;
  return {
    filesUrl: `${url}&timeoutMillis=2500`,
    impatientFilesUrl: `${url}&timeoutMillis=700`,
    fail: proxy.fail,
    async stop() {
      await proxy.stop();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function failingProxy(target: number) {
  let fault: Fault = 'none';
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    track(client);
    if (fault === 'refuse') return client.resetAndDestroy();
    if (fault === 'hang') return;
    const store = track(connect(target, '127.0.0.1'));
    client.pipe(store);
    const faultOfConnection = fault;
    let left = faultOfConnection === 'none' ? Number.POSITIVE_INFINITY : FAILS_AFTER_BYTES;
    store.on('data', (bytes: Buffer) => {
      client.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left > 0) return;
      store.destroy();
      if (faultOfConnection === 'cut') client.destroySoon();
    });
    store.on('end', () => client.end());
  });
  const track = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on('error', () => undefined).on('close', () => open.delete(socket));
  };
  const closeAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    fail(next: Fault) {
      fault = next;
      closeAll();
    },
    async stop() {
      closeAll();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
