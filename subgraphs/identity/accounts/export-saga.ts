import type { FileStorage } from '#server/files/file-storage.ts';
import { sagaAction, type SagaDefinition } from '#server/saga/saga.ts';
import { streamOf } from '#server/streams.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AccountExport } from './account-export.entity.ts';
import { SECTIONS, sectionKey, sectionText } from './export-sections.ts';
import type { OtherService, OtherServices } from './other-services.ts';
import { ownText } from './own-records.ts';

export const EXPORT_SAGA = 'account-export';

interface ExportContext {
  exportId: string;
  userId: string;
}

/** Each service's section is fetched independently and stored in a file; a failed fetch is repeated until all sections exist. */
export const exportSaga = (
  others: OtherServices,
  files: FileStorage,
  unitOf: () => UnitOfWork,
): SagaDefinition => {
  const isWanted = async (exportId: string) => (await unitOf().em.count(AccountExport, { id: exportId })) > 0;
  const textOf = (service: string, userId: string): AsyncIterable<string> =>
    service === 'identity'
      ? ownText(unitOf(), userId)
      : sectionText((cursor) => others.records(service as OtherService, userId, cursor));
  return {
    kind: EXPORT_SAGA,
    order: 'independent',
    onRefusal: 'retry',
    actions: Object.fromEntries(
      SECTIONS.map((service) => [
        service,
        sagaAction<null, null>({
          service,
          async run({ context }) {
            const { exportId, userId } = context as ExportContext;
            if (!(await isWanted(exportId))) return null;
            const key = sectionKey(exportId, service);
            await files.putStream(key, streamOf(textOf(service, userId)), 'application/json');
            // If the account or the export was deleted in the meantime, with its files, this file must be deleted, too.
            if (!(await isWanted(exportId))) await files.delete(key);
            return null;
          },
        }),
      ]),
    ),
    async onChange({ subject, finishedAt }, unit) {
      if (finishedAt) await unit.em.nativeUpdate(AccountExport, { id: subject }, { finishedAt });
    },
  };
};
