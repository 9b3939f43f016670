import { describe, expect, it } from '@jest/globals';
import { redisAccessOf } from '#server/redis/redis-client.ts';
import { hashSlotOf } from '#server/redis/hash-slot.ts';
import { redisNameOf, redisTargetOf } from '#server/redis/redis-url.ts';
import { readSettings, serverSettings, SettingsError } from '#server/settings.ts';

describe('a REDIS_URL', () => {
  it('names a server, sentinels or a cluster', () => {
    expect(redisTargetOf('redis://r')).toMatchObject({
      kind: 'server',
      address: { host: 'r', port: 6379 },
      database: 0,
      isTls: false,
      credentials: {},
    });
    expect(redisTargetOf('rediss://maya:p%40ss%2Fword@[::1]:7000/3')).toMatchObject({
      kind: 'server',
      address: { host: '::1', port: 7000 },
      database: 3,
      isTls: true,
      credentials: { username: 'maya', password: 'p@ss/word' },
    });
    expect(
      redisTargetOf('rediss+sentinel://:pw@s1,s2:26380/mymaster?db=2&sentinel_password=other'),
    ).toMatchObject({
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 26_379 },
        { host: 's2', port: 26_380 },
      ],
      master: 'mymaster',
      database: 2,
      credentials: { password: 'pw' },
      sentinelCredentials: { password: 'other' },
      isTls: true,
    });
    expect(redisTargetOf('redis+cluster://user:pw@n1:7000,n2:7001')).toMatchObject({
      kind: 'cluster',
      nodes: [
        { host: 'n1', port: 7000 },
        { host: 'n2', port: 7001 },
      ],
      credentials: { username: 'user', password: 'pw' },
    });
  });

  it.each([
    ['http://r', 'redis://user:password@host:6379/0'],
    ['redis://', 'redis://user:password@host:6379/0'],
    ['redis://one,other', 'redis://user:password@host:6379/0'],
    ['redis://user:p@ss@r', '%40'],
    ['redis://user:%zz@r', '%25'],
    ['redis://r:70000', 'redis://user:password@host:6379/0'],
    ['redis://r/abc', 'the number of a database'],
    ['redis://r?db=1', 'the parameter db is unknown'],
    ['redis+sentinel://s1:26379', 'the name of the master'],
    ['redis+sentinel://s1:26379/name?sentinel_pasword=x', 'the parameter sentinel_pasword is unknown'],
    ['redis+cluster://n1/1', 'no numbered databases'],
    ['redis+other://n1', 'redis+cluster'],
  ])('%s is refused at the start, and the message says what to write', (url, part) => {
    const read = () => readSettings(serverSettings, { REDIS_URL: url });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(part);
  });

  it('shows no password in a message', () => {
    for (const url of [
      'redis://u:s3cret@a@r',
      'redis+sentinel://:s3cret@s?sentinel_password=s3cret',
      'redis://:s3cret/x@r/y',
    ]) {
      const read = () => readSettings(serverSettings, { REDIS_URL: url });
      expect(read).toThrow('REDIS_URL');
      expect(read).not.toThrow('s3cret');
    }
    const target = redisTargetOf('redis+sentinel://u:s3cret@s1,s2:1/own?sentinel_password=s3cret');
    expect(redisNameOf(target)).toBe('s1:26379,s2:1 (sentinels of own)');
  });

  it('must use TLS if certificates are set, which must be readable and have their key', () => {
    expect(() => redisAccessOf({ redisUrl: 'redis://r', redisCaFile: '/ca.pem' })).toThrow('rediss');
    expect(() => redisAccessOf({ redisUrl: 'rediss://r', redisCaFile: '/no/ca.pem' })).toThrow(
      'REDIS_CA_FILE',
    );
    expect(() => redisAccessOf({ redisUrl: 'rediss://r', redisCertFile: '/c.pem' })).toThrow(
      'REDIS_KEY_FILE',
    );
  });
});

// The examples of the cluster specification, and of `CLUSTER KEYSLOT`.
it.each([
  ['123456789', 0x31c3],
  ['foo', 12_182],
  ['{user1000}.following', 3443],
  ['{user1000}.followers', 3443],
  ['foo{}{bar}', 8363],
  ['foo{{bar}}zap', 4015],
  ['foo{bar}{zap}', 5061],
])('the slot of %s is %i', (key, slot) => expect(hashSlotOf(key)).toBe(slot));
