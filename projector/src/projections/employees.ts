import {
  type EmployeeSetDocument,
  lastPlanned,
  type LoadedEvent,
  LogCorrupt,
  plansCollection,
} from '@rollcall/application/read';
import { MisshapenSet } from '@rollcall/domain';
import type { DocumentsInHand } from '../documents-in-hand.js';
import { stages, writeOf } from '../document-changes.js';
import { companyOf, replaced, toJson, type ChunkProjection, type Projection } from '../projection.js';
import { EmployeeBlocks } from './employee-blocks.js';
import { EmployeeOrder } from './employee-order.js';
import { EmployeeSetReader } from './employee-set-reader.js';
import { verifiedChunks } from './verified-chunks.js';

/**
 * `employee-blocks` [companyId, block] -> rows of GET employees, see `BlockBuilder`; `employee-order` [companyId] and
 * `employee-order-runs` [companyId, slot]: their order; `invitation-plans` [companyId, last number]. New rows
 * are there before the order names them, and who has left is in the order no more when the row goes.
 */
export const employees: ChunkProjection = {
  event: 'EmployeeSetReplaced',
  project: async (event, documents, fold) => {
    const { stream, revision } = event;
    const place = { companyId: companyOf(event), revision, stream };
    const blocks = new EmployeeBlocks(documents, place);
    const reader = new EmployeeSetReader(blocks, fold);
    try {
      for await (const chunk of verifiedChunks(event)) {
        reader.push(chunk);
        await documents.makeRoom();
      }
      reader.finish();
    } catch (error) {
      if (!(error instanceof MisshapenSet)) throw error;
      throw new LogCorrupt(`The event at revision ${revision} of ${stream}: ${error.message}`);
    }
    await blocks.writeNew();
    const order = new EmployeeOrder(documents, place);
    await order.change(async () => ({ added: reader.order(), removed: await blocks.leaving() }));
    await blocks.writeHeld();
    putPlans(documents, reader, event);
    order.removeReplaced();
  },
};

/** Whoever has read the plans up to a position of the log finds these by that of their event. */
function putPlans(documents: DocumentsInHand, reader: EmployeeSetReader, event: LoadedEvent): void {
  const [companyId, { revision, metadata }] = [companyOf(event), event];
  const indexed = { position: [Number(event.position)] };
  for (const plans of reader.plans.documents(metadata.operationId)) {
    const place = { collection: plansCollection, key: [companyId, lastPlanned(plans)], revision };
    documents.set(writeOf(place, { value: toJson(plans), indexed }), stages.behindDirectory);
  }
}

/** `employee-sets` [companyId] -> what is said of the whole set. */
export const employeeSets: Projection = {
  collection: 'employee-sets',
  changes: {
    EmployeeSetReplaced: (event) => {
      const { total, setDigest, lastNumber } = event.data;
      const document: EmployeeSetDocument = { revision: event.revision, total, setDigest, lastNumber };
      return [replaced([companyOf(event)], document)];
    },
  },
};
