import dns from 'node:dns';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startNameServer } from '../support/name-server.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';
import { send, type SendResult } from '../../subgraphs/gym/webhooks/send.ts';
import { isPublicAddress, targetProblem } from '../../subgraphs/gym/webhooks/target.ts';

const NOT_PUBLIC = 'expected an address of the public internet';
const NOT_HTTPS = 'expected an https URL';
const NOT_PLAIN = 'expected a URL without user name, password and fragment';
const NO_URL = 'expected a URL such as https://example.com/events';
const portOf = (port: number) => `expected another port; ${port} belongs to another protocol`;

/** Targets to which nothing is sent, and why. */
const REFUSED: Record<string, readonly string[]> = {
  [NOT_PUBLIC]: [
    // this machine, in many spellings
    'https://127.0.0.1/',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/', // decimal
    'https://0x7f000001/', // hexadecimal
    'https://0x7f.1/',
    'https://0177.0.0.1/', // octal
    'https://017700000001/',
    'https://127.255.255.254:8443/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/', // full-width digits
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/', // ideographic full stops
    'https://localhost/',
    'https://LOCALHOST:8443/',
    'https://localhost./',
    'https://api.localhost/',
    'https://api.localhost./',
    'https:/\\127.0.0.1/',
    'https:127.0.0.1',
    // private, shared, reserved and documentation ranges of IPv4
    'https://0.0.0.0/',
    'https://0/',
    'https://0.1.2.3/',
    'https://10.0.0.1/',
    'https://167772161/',
    'https://012.0.0.1/',
    'https://10.255.255.255:9200/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
    'https://3232235521/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xa9fea9fe/',
    'https://100.64.0.1/',
    'https://100.127.255.254/',
    'https://192.0.0.1/',
    'https://192.0.2.1/',
    'https://192.88.99.1/',
    'https://198.18.0.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://224.0.0.1/',
    'https://239.255.255.250/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    // IPv6, also with an IPv4 address in it: mapped, compatible, translated, NAT64, 6to4, Teredo
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]:8443/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[64:ff9b:1::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:a00:1::]/',
    'https://[2001::1]/',
    'https://[2001:2::1]/',
    'https://[2001:20::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[5f00::1]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[100::1]/',
    'https://[4000::1]/',
  ],
  [NOT_HTTPS]: [
    'http://127.0.0.1/',
    'http://localhost/',
    'http://example.com/',
    'ftp://example.com/',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'file:///etc/passwd',
    'data:text/plain,x',
  ],
  [NOT_PLAIN]: [
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://:secret@example.com/',
    'https://example.com@10.0.0.1/',
    'https://10.0.0.1%2f@example.com/',
    'https://example.com/#@10.0.0.1/',
  ],
  [NO_URL]: [
    'example.com',
    'https://256.1.1.1/',
    'https://[fe80::1%25eth0]/',
    'https://example.com:65536/',
    'https://',
    '//10.0.0.1/',
  ],
  [portOf(0)]: ['https://example.com:0/'],
  [portOf(22)]: ['https://example.com:22/'],
  [portOf(25)]: ['https://8.8.8.8:25/'],
  [portOf(587)]: ['https://example.com:587/'],
  [portOf(6000)]: ['https://[2606:4700::1111]:6000/'],
};
const TABLE = Object.entries(REFUSED).flatMap(([why, urls]) => urls.map((url) => [url, why] as const));

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());
afterEach(() => {
  jest.restoreAllMocks();
  receiver.requests.splice(0);
  receiver.answering = undefined;
});

const event = {
  id: '0199aaaa-0000-7000-8000-000000000001',
  type: 'webhook.test',
  gymId: null,
  subject: 'webhook/x',
  occurredAt: '2026-11-23T00:00:00.000Z',
  data: {},
};
const secrets = [`whsec_${Buffer.alloc(32).toString('base64')}`];
const sent = (url: string, allowsLoopback: boolean): Promise<SendResult> =>
  send(event, { url, secrets, allowsLoopback }, new AbortController().signal);

/** Replaces the answers of the system's name service, one for each question; the last one is repeated. Returns the names that were asked. */
function systemNames(...answers: string[][]): string[] {
  const asked: string[] = [];
  const lookup = async (name: string) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(name);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  // The cast: only the form of `dns.lookup` that is used here is replaced.
  jest.spyOn(dns.promises, 'lookup').mockImplementation(lookup as never);
  return asked;
}

describe('a target', () => {
  it.each(TABLE)('is not %s: %s', async (url, why) => {
    expect(targetProblem(url, false)).toBe(why);
    expect(await sent(url, false)).toMatchObject({
      statusCode: null,
      error: `the URL is refused: ${why}`,
    });
  });

  it.each([
    'https://example.com/hook',
    'https://example.com./hook',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/x?y=1',
  ])('may be %s', (url) => expect(targetProblem(url, false)).toBeUndefined());

  it.each([
    ['http://127.0.0.1:8080/', true],
    ['http://localhost:8080/', true],
    ['http://[::1]:8080/', true],
    ['http://127.0.0.1:22/', false],
    ['http://localhost:6000/', false],
    ['http://0.0.0.0:1/', false],
    ['http://[::]:1/', false],
    ['http://10.0.0.1/', false],
    ['http://169.254.169.254/', false],
    ['https://127.0.0.1/', false],
    ['http://example.com/', false],
  ])('with demo data: %s is allowed: %s', (url, isAllowed) =>
    expect(targetProblem(url, true) === undefined).toBe(isAllowed),
  );

  it.each(['1.1.1.1', '2606:4700::1111', '198.17.255.255', '172.32.0.1', '100.128.0.1'])(
    'may have the public address %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['', 'x', '4000::1', '::8.8.8.8', '0::1', 'fe80::1%eth0'])('has no public address %j', (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );
});

describe('a host name', () => {
  it.each([
    ['127.0.0.1'],
    ['10.0.0.1, 192.168.1.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['0.0.0.0'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['::ffff:7f00:1, 10.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::'],
    ['fd00:ec2::254'],
    [''],
  ])('is refused if it means %s, when the connection is opened', async (addresses) => {
    const names = await startNameServer(addresses.split(', ').filter(Boolean));
    try {
      const url = `https://rebinding.example:${new URL(receiver.url).port}/hook`;
      expect(targetProblem(url, false)).toBeUndefined(); // nothing is known about the name before
      expect(await sent(url, true)).toMatchObject({
        statusCode: null,
        error: 'the host name has no address of the public internet',
      });
      expect(names.asked.toSorted()).toEqual(['A rebinding.example', 'AAAA rebinding.example']);
      expect(receiver.requests).toEqual([]);
    } finally {
      await names.stop();
    }
  });

  it('whose name server does not answer keeps no other names waiting, and ends with its attempt', async () => {
    const names = await startNameServer('silent');
    try {
      const stopped = new AbortController();
      const attempts = Array.from({ length: 40 }, (_, index) =>
        send(
          event,
          { url: `https://silent-${index}.example/`, secrets, allowsLoopback: true },
          stopped.signal,
        ),
      );
      const startedAt = performance.now();
      await dns.promises.lookup('localhost');
      expect(await sent(receiver.url.replace('127.0.0.1', 'localhost'), true)).toMatchObject({
        statusCode: 204,
      });
      expect(performance.now() - startedAt).toBeLessThan(withinOnThisMachine(2_000));
      stopped.abort();
      for (const { statusCode } of await Promise.all(attempts)) expect(statusCode).toBeNull();
    } finally {
      await names.stop();
    }
  });

  it('such as localhost is no target for http with demo data if it means another machine', async () => {
    const asked = systemNames(['10.0.0.1']);
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    expect((await sent(url, true)).error).toBe('the host name has no address of the public internet');
    expect(asked).toEqual(['localhost']);
  });

  it('cannot change its meaning between the check and the connection, because it is resolved once', async () => {
    const asked = systemNames(['127.0.0.1'], ['10.0.0.1']);
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    expect(await sent(url, true)).toMatchObject({ statusCode: 204, error: undefined });
    expect(asked).toEqual(['localhost']);
    expect(receiver.requests).toHaveLength(1);
  });

  it('of which some addresses are refused is connected to the others only', async () => {
    systemNames(['10.0.0.1', '127.0.0.1', '169.254.169.254']);
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    expect(await sent(url, true)).toMatchObject({ statusCode: 204 });
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is a failure, and is not followed', async (status) => {
    const trap = await startReceiver();
    for (const location of [trap.url, 'https://169.254.169.254/', '/other', '//10.0.0.1/'] as const) {
      receiver.answering = (_request, response) => response.writeHead(status, { location }).end();
      expect(await sent(receiver.url, true)).toMatchObject({
        statusCode: status,
        error: `answered ${status}; redirects are not followed`,
      });
    }
    expect(receiver.requests).toHaveLength(4);
    expect(trap.requests).toEqual([]);
    await trap.stop();
  });
});
