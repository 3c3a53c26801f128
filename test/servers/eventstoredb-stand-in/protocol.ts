/** The service definitions and messages that the client ships; CommonJS, hence the default imports. */
import code from '@eventstore/db-client/generated/code_pb.js';
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import operationServices from '@eventstore/db-client/generated/operations_grpc_pb.js';
import operations from '@eventstore/db-client/generated/operations_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import grpcStatus from '@eventstore/db-client/generated/status_pb.js';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';

export { any, code, empty, features, gossip, grpcStatus, operations, shared, streams };

const { read, batchAppend, ...others } = streamServices.StreamsService;

/** The generated code would copy each message once more. */
const streamsService = {
  ...others,
  read: {
    ...read,
    responseSerialize: (response: streams.ReadResp): Buffer => sameMemory(response.serializeBinary()),
  },
  batchAppend: {
    ...batchAppend,
    requestDeserialize: ({ buffer, byteOffset, byteLength }: Buffer): streams.BatchAppendReq =>
      streams.BatchAppendReq.deserializeBinary(new Uint8Array(buffer, byteOffset, byteLength)),
  },
};

const sameMemory = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export const services = {
  streams: streamsService,
  gossip: gossipServices.GossipService,
  features: featureServices.ServerFeaturesService,
  operations: operationServices.OperationsService,
};

/** A stream's name as it stands in a message. */
export const nameIn = (identifier: { getStreamName_asU8(): Uint8Array } | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export function identifierOf(stream: string): shared.StreamIdentifier {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Uint8Array.from(Buffer.from(stream, 'utf8')));
  return identifier;
}
