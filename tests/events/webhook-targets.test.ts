import dns from 'node:dns';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { send } from '../../subgraphs/gym/webhooks/send.ts';
import { isPublicAddress, targetProblem } from '../../subgraphs/gym/webhooks/target.ts';

/** Addresses that are not of the public internet, in many spellings. */
const REFUSED = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://127.255.255.254:8443/',
  'https://localhost/',
  'https://api.localhost/',
  'https://LOCALHOST/',
  'https://0.0.0.0/',
  'https://0/',
  'https://0.1.2.3/',
  'https://10.0.0.1/',
  'https://10.255.255.255/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://100.127.255.254/',
  'https://192.0.0.1/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://198.51.100.1/',
  'https://203.0.113.1/',
  'https://224.0.0.1/',
  'https://239.255.255.250/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:8.8.8.8]/',
  'https://[::7f00:1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b:1::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001::1]/',
  'https://[2001:db8::1]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://[100::1]/',
  'http://127.0.0.1/',
  'http://localhost/',
  'http://example.com/',
];

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const event = {
  id: '0199aaaa-0000-7000-8000-000000000001',
  type: 'webhook.test',
  gymId: null,
  subject: 'webhook/x',
  occurredAt: '2026-11-23T00:00:00.000Z',
  data: {},
};
const secrets = [`whsec_${Buffer.alloc(32).toString('base64')}`];

describe('a target', () => {
  it.each(REFUSED)('is not %s', async (url) => {
    expect(targetProblem(url, false)).toBeDefined();
    const result = await send(event, { url, secrets, allowsLoopback: false }, new AbortController().signal);
    expect(result.error).toContain('the URL is refused');
  });

  it.each(['https://example.com/hook', 'https://8.8.8.8/', 'https://[2606:4700::1111]:8443/x?y=1'])(
    'may be %s',
    (url) => expect(targetProblem(url, false)).toBeUndefined(),
  );

  it.each([
    ['http://127.0.0.1:1/', true],
    ['http://localhost:1/', true],
    ['http://[::1]:1/', true],
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

  it('is checked by the address to which the connection is opened, whatever the name meant before', async () => {
    const port = new URL(receiver.url).port;
    const meaning = (addresses: string[]) =>
      jest.spyOn(dns, 'lookup').mockImplementation(((
        _name: string,
        _options: object,
        done: (error: null, found: object[]) => void,
      ) =>
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )) as never);
    for (const addresses of [['127.0.0.1'], ['10.0.0.1', '192.168.1.1'], ['::ffff:127.0.0.1'], ['::1']]) {
      const spy = meaning(addresses);
      const url = `https://rebinding.example:${port}/hook`;
      expect(targetProblem(url, false)).toBeUndefined();
      const result = await send(event, { url, secrets, allowsLoopback: true }, new AbortController().signal);
      expect(result).toMatchObject({
        statusCode: null,
        error: expect.stringMatching(/no address of the public internet/),
      });
      spy.mockRestore();
    }
    expect(receiver.requests).toEqual([]);
  });
});
