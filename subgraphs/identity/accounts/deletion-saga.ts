import type { ErasureResult } from '#server/accounts/account-part.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { sagaAction, type PlannedAction, type Saga, type SagaDefinition } from '#server/saga/saga.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AccountDeletion, Outcome, type ReceiptPart } from './account-deletion.entity.ts';
import { OTHER_SERVICES, type OtherServices } from './other-services.ts';

export const DELETION_SAGA = 'account-deletion';
const FILES = 'files';

/**
 * Identity's own line of the receipt. The transaction of the deletion erases identity's part, so no action of the saga does. The
 * outcome is always RETAINED, because the audit trail has at least the record of the deletion.
 */
const OWN_PART: ReceiptPart = {
  service: 'identity',
  outcome: Outcome.RETAINED,
  reason:
    'The audit trail keeps the id of the account, without name, email or network address, because it must show who had which rights. Events of the last month keep the id only, because the systems of the gym must learn which member to remove. Mails that were sent, or written to the outbox, are not recalled. Everything else is deleted.',
};

export interface DeletionContext {
  userId: string;
}

/** Each service erases its part independently: if one is down, the others do not wait, and it is called until it has answered. */
export const deletionSaga = (others: OtherServices, files: FileStorage): SagaDefinition => ({
  kind: DELETION_SAGA,
  order: 'independent',
  onRefusal: 'retry',
  actions: {
    ...Object.fromEntries(
      OTHER_SERVICES.map((service) => [
        service,
        sagaAction<null, ErasureResult>({
          service,
          run: ({ context }) => others.erase(service, (context as DeletionContext).userId),
        }),
      ]),
    ),
    [FILES]: sagaAction<string[], null>({
      service: 'identity',
      async run({ input }) {
        for (const key of input) await files.delete(key);
        return null;
      },
    }),
  },
  onChange: writeReceipt,
});

/** @param keys storage keys of the user's files in identity, which the transaction of the deletion cannot delete */
export const deletionActions = (keys: readonly string[]): PlannedAction[] => [
  ...OTHER_SERVICES.map((name) => ({ name })),
  ...(keys.length > 0 ? [{ name: FILES, input: keys }] : []),
];

/** The lines of a receipt before the other services have answered. */
export const partsAtFirst = (): ReceiptPart[] => [
  OWN_PART,
  ...OTHER_SERVICES.map((service) => ({ service, outcome: Outcome.PENDING, reason: null })),
];

async function writeReceipt({ subject, actions, finishedAt }: Saga, unit: UnitOfWork): Promise<void> {
  const parts = actions
    .filter(({ name }) => name !== FILES)
    .map(({ service, output }): ReceiptPart => {
      const result = output as ErasureResult | null;
      return { service, outcome: result?.outcome ?? Outcome.PENDING, reason: result?.reason ?? null };
    });
  await unit.em.nativeUpdate(AccountDeletion, { id: subject }, { parts: [OWN_PART, ...parts], finishedAt });
}
