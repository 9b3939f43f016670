import path from 'node:path';
import { installationSecretOf } from '#server/auth/service-secret.ts';
import type { ServiceBase } from '#server/define-subgraph.ts';
import { References } from '#server/references/references.ts';
import { DatabaseSagaStore } from '#server/saga/saga-store.database.ts';
import { Sagas } from '#server/saga/sagas.ts';
import type { ServerSettings } from '#server/settings.ts';
import { callsToServices } from '#server/service-calls.ts';
import { deletionSaga } from './accounts/deletion-saga.ts';
import { exportSaga } from './accounts/export-saga.ts';
import { OtherServices } from './accounts/other-services.ts';
import { bootstrapAdmin } from './bootstrap-admin.ts';
import { GymLocations } from './api-clients/gym-locations.ts';
import { KeyRing } from './keys/key-ring.ts';
import { MailDelivery } from './mail/mail-delivery.ts';
import type { Mailer } from './mail/mailer.ts';
import { outboxMailer } from './mail/mailer.outbox.ts';
import { smtpMailer } from './mail/mailer.smtp.ts';
import { ServiceClients } from './service-clients/service-clients.ts';
import { AccessTokens } from './sessions/access-tokens.ts';
import { OUTBOX, type IdentitySettings } from './settings.ts';
import { Passwords } from './users/passwords.ts';

/** If an instance is killed, another one takes over its sagas after this time. */
const SAGA_LEASE_MILLIS = 5_000; // 5 s

/** The objects that exist as long as the service runs. */
export async function identityResources({
  orm,
  settings,
  log,
  metrics,
  files,
  events,
  unitOf,
}: ServiceBase<IdentitySettings>) {
  if (!orm) throw new Error('The identity service needs its database.');
  const passwords = new Passwords();
  await bootstrapAdmin(settings, unitOf(), passwords, log);
  const keyRing = await KeyRing.open(orm, {
    rotationDays: settings.keyRotationDays,
    publishAheadSeconds: settings.keyPublishAheadSeconds,
    log,
  });
  const tokens = new AccessTokens(keyRing, settings);
  const mails = new MailDelivery(mailerOf(settings), metrics);
  // Identity signs its own service tokens, a new one for each call, so that it does not call itself over the network.
  const ownTokens = { get: async () => tokens.ofService('identity'), refused: () => undefined };
  const calls = callsToServices({ settings, tokens: ownTokens });
  const others = new OtherServices(settings, ownTokens);
  const sagaStore = new DatabaseSagaStore(() => unitOf());
  const sagas = new Sagas({
    store: sagaStore,
    definitions: [deletionSaga(others, files), exportSaga(others, files, () => unitOf())],
    log,
    registry: metrics.registry,
    leaseMillis: SAGA_LEASE_MILLIS,
  });
  sagas.wake(); // for sagas that were not finished before the last stop
  return {
    orm,
    files,
    events,
    passwords,
    keyRing,
    tokens,
    mails,
    resetUrl: settings.passwordResetUrl,
    sagas,
    sagaStore,
    calls,
    verifyUrl: settings.emailVerificationUrl,
    references: new References(calls),
    locations: new GymLocations(calls),
    serviceClients: new ServiceClients(await installationSecretOf(settings), tokens),
    async dispose() {
      await sagas.dispose();
      await others.dispose();
      await calls.close();
      await keyRing.close();
      mails.close();
    },
  };
}

export type IdentityResources = Awaited<ReturnType<typeof identityResources>>;

const mailerOf = ({ smtpUrl, mailFrom, dataDir }: IdentitySettings & ServerSettings): Mailer =>
  smtpUrl && smtpUrl !== OUTBOX
    ? smtpMailer(smtpUrl, mailFrom)
    : outboxMailer(path.resolve(dataDir, 'outbox'), mailFrom);
