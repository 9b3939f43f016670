import { failureOf } from '#server/database/refusals.ts';
import { conflict, invalid, notFound, PlatformError } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { reencoded } from '#server/files/images.ts';
import { discard } from '#server/files/unused-files.ts';
import { uuidv7 } from '#server/ids.ts';
import { isJsonObject } from '#server/json-object.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { FileField, StepDefinition } from '../definitions/definition.ts';
import type { WizardDefinitions } from '../definitions/definitions.ts';
import { nextStep, stepOf } from '../definitions/progress.ts';
import { requireEditable, withData } from '../sessions/session-change.ts';
import { fileKey, type SessionFile } from '../sessions/session-files.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import { fileUrl } from '../sessions/session-view.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { WizardSessionShape } from '../sessions/sessions.shapes.ts';
import type { WizardStorage } from '../storage.ts';
import { UploadFieldsShape } from './files.shapes.ts';
import { isPdf, requirePlainPdf } from './pdf.ts';

const MAX_FILES = 20;
const MAX_SIDE = 2_048; // pixels

interface FilesOptions {
  sessions: Sessions;
  storage: WizardStorage;
  definitions: WizardDefinitions;
  files: FileStorage;
  publicUrl: string;
}

interface UploadedFile {
  filename: string;
  bytes: Buffer;
}

/** Pictures and documents that belong to the steps of a session. */
export class Files {
  private readonly unit: UnitOfWork;
  private readonly options: FilesOptions;

  constructor(unit: UnitOfWork, options: FilesOptions) {
    this.unit = unit;
    this.options = options;
  }

  /**
   * Stores the file and writes its URL into the step's data; the previous file of that field is removed.
   * @throws VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE for an unusable file; CONFLICT for too many files
   */
  async upload(
    sessionId: string,
    input: unknown,
    file: UploadedFile,
    resumeToken?: string | null,
    expectedVersion?: number,
  ): Promise<WizardSessionShape> {
    const { step, field: requested } = validated(UploadFieldsShape, input);
    const { sessions, files, definitions } = this.options;
    const session = await sessions.open(sessionId, resumeToken);
    requireEditable(session);
    const [field, fileField] = fieldOf(stepOf(definitions[session.kind], step, 'step'), requested);
    const { bytes, contentType } = await storableFile(file.bytes, fileField);
    const added: SessionFile = {
      id: uuidv7(),
      step,
      field,
      filename:
        file.filename
          .replace(/\p{Cc}/gu, '')
          .slice(0, 200)
          .toWellFormed() || field, // last, because `slice` may cut a pair of surrogates
      contentType,
      bytes: bytes.length,
      uploadedAt: new Date().toISOString(),
    };
    await files.put(fileKey(sessionId, added.id), bytes, contentType);
    let replaced: SessionFile[] = [];
    let changed: SessionRecord;
    try {
      changed = await sessions.change(sessionId, resumeToken, expectedVersion, (current, definition) => {
        requireEditable(current);
        replaced = current.files.filter((each) => each.step === step && each.field === field);
        const kept = current.files.filter((each) => !replaced.includes(each));
        if (kept.length >= MAX_FILES) throw conflict(`A wizard session may have at most ${MAX_FILES} files.`);
        const url = fileUrl(this.options.publicUrl, sessionId, added.id);
        const data = { ...current.data, [step]: withPath(current.data[step] ?? {}, fileField.path, url) };
        const currentStep = nextStep(definition, current.currentStep, undefined, data);
        return withData({ ...current, files: [...kept, added], currentStep }, data, definition);
      });
    } catch (error) {
      // If the answer to COMMIT was lost, the session may have the file. `unusedFiles` removes it later if it does not.
      if (failureOf(error) !== 'lost') await discard(files, [fileKey(sessionId, added.id)], this.unit.log);
      throw error;
    }
    await discard(
      files,
      replaced.map(({ id }) => fileKey(sessionId, id)),
      this.unit.log,
    );
    return sessions.presented(changed);
  }

  /**
   * A file. For callers who may open the session; pictures of a deployed gym are public.
   * @throws NOT_FOUND, UNAUTHENTICATED
   */
  async read(sessionId: string, fileId: string, resumeToken?: string | null) {
    const { sessions, storage, files } = this.options;
    const [session] = await storage.sessions(this.unit).findByIds([sessionId]);
    const found = session?.files.find(({ id }) => id === fileId);
    const isPublic = session && found ? this.isPublic(session, found) : false;
    if (!isPublic) await sessions.requireOpen(sessionId, resumeToken);
    const stored = found && (await files.read(fileKey(sessionId, fileId)));
    if (!stored) throw notFound('file', fileId);
    return { ...stored, file: found, isPublic };
  }

  private isPublic({ kind, status }: SessionRecord, { step, field }: SessionFile): boolean {
    const fields = this.options.definitions[kind].steps.find(({ key }) => key === step)?.files;
    return status === 'DEPLOYED' && fields?.[field]?.isPublicOnceDeployed === true;
  }
}

/** Finds a file field by its name (`logo`) or by its path (`assets.logo`). @throws VALIDATION_FAILED */
function fieldOf(step: StepDefinition, field: string): [name: string, fileField: FileField] {
  const fields = Object.entries(step.files ?? {});
  const found = fields.find(([name, { path }]) => name === field || path === field);
  if (found) return found;
  const names = fields.map(([name]) => name).join(', ');
  throw invalid(
    'field',
    names ? `expected one of ${names}, got "${field}"` : `the step ${step.key} accepts no files`,
  );
}

/** A picture is encoded again; a PDF is stored unchanged. */
async function storableFile(
  bytes: Buffer,
  { takes }: FileField,
): Promise<{ bytes: Buffer; contentType: SessionFile['contentType'] }> {
  if (isPdf(bytes)) {
    if (takes !== 'document')
      throw new PlatformError('UNSUPPORTED_MEDIA_TYPE', 'file: expected a JPEG, PNG, WebP or AVIF picture.');
    requirePlainPdf(bytes, 'file');
    return { bytes, contentType: 'application/pdf' };
  }
  return reencoded(bytes, { field: 'file', maxSide: MAX_SIDE });
}

/** The data with a value at a dotted path. */
function withPath(data: Record<string, unknown>, path: string, value: string): Record<string, unknown> {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...data, [first]: value };
  const inner = data[first];
  const group = isJsonObject(inner) ? inner : {};
  return { ...data, [first]: withPath({ ...group }, rest.join('.'), value) };
}
