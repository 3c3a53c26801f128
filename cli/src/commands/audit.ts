import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { addAuditCopies } from './audit-copies.js';
import { addQuestionCommands } from './audit-questions.js';
import { addProofCommands } from './audit-proofs.js';

export function addAuditCommands(audit: Command, io: CliIo): void {
  addQuestionCommands(audit, io);
  addAuditCopies(audit, io);
  addProofCommands(audit, io);
}
