# One image for every process and the command line: docker-compose.yml says what a container runs.
FROM node:24.21.0-bookworm-slim AS manifests
WORKDIR /rollcall
# What is installed follows from these files alone: a change of code does not install again.
COPY package.json package-lock.json ./
COPY contracts/package.json contracts/
COPY employee-lists/package.json employee-lists/
COPY domain/package.json domain/
COPY application/package.json application/
COPY adapters/package.json adapters/
COPY host/package.json host/
COPY api/package.json api/
COPY projector/package.json projector/
COPY worker/package.json worker/
COPY standalone/package.json standalone/
COPY cli/package.json cli/
COPY clients/typescript/package.json clients/typescript/
COPY test/package.json test/

FROM manifests AS packages
RUN npm ci --omit=dev --ignore-scripts --workspace=standalone --workspace=cli --no-audit --no-fund \
  && rm -r node_modules/@rollcall

FROM manifests AS built
RUN npm ci --no-audit --no-fund
COPY . .
ARG ROLLCALL_COMMIT
RUN node cli/bin/bundle.js && node cli/bin/sbom.js >sbom.cdx.json

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /rollcall
COPY --from=packages /rollcall/package.json ./
COPY --from=built /rollcall/sbom.cdx.json ./
COPY --from=packages /rollcall/node_modules node_modules
COPY --from=built /rollcall/cli/bin cli/bin
COPY --from=built /rollcall/dist dist
RUN mkdir /data /keys && chown node:node /data /keys && ln -s /rollcall/cli/bin/rollcall.js /usr/local/bin/rollcall
USER node
VOLUME /data
EXPOSE 3000
CMD ["node", "--enable-source-maps", "dist/standalone.js"]
ARG ROLLCALL_COMMIT
LABEL org.opencontainers.image.title=Rollcall \
  org.opencontainers.image.description="Survey and employee integration service" \
  org.opencontainers.image.version=0.1.0 \
  org.opencontainers.image.revision=$ROLLCALL_COMMIT
