import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams, { type BatchAppendResp, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import {
  makeGenericClientConstructor,
  type CallOptions,
  type Client,
  type ClientDuplexStream,
  type Metadata,
} from '@grpc/grpc-js';

/** `write` takes a serialized `BatchAppendReq`. */
export type BatchCall = ClientDuplexStream<Buffer, BatchAppendResp>;

type GeneratedClient = InstanceType<typeof streamServices.StreamsClient>;

export interface StreamsClient extends Client, Pick<GeneratedClient, 'append' | 'read' | 'tombstone'> {
  batchAppend(metadata: Metadata, options: CallOptions): BatchCall;
}

/** Smaller messages can lie in memory that is shared. */
const leastViewed = 64 * 1024;

/** The generated code copies every message; these do not where they are large. */
const { read, batchAppend, ...others } = streamServices.StreamsService;
const service = {
  ...others,
  read: {
    ...read,
    responseDeserialize: (message: Buffer): ReadResp =>
      message.byteLength < leastViewed
        ? read.responseDeserialize(message)
        : streams.ReadResp.deserializeBinary(
            new Uint8Array(message.buffer, message.byteOffset, message.byteLength),
          ),
  },
  batchAppend: { ...batchAppend, requestSerialize: (message: Buffer): Buffer => message },
};

export const StreamsClient = makeGenericClientConstructor(service, 'Streams') as unknown as new (
  ...args: ConstructorParameters<typeof Client>
) => StreamsClient;
