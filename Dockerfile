# One image for each target: proxy, writer, management, migrate, maintenance, operator, agp and demo-provider.
#   docker build --target proxy --tag agent-governance-proxy/proxy:0.4.0 .
# Needs BuildKit. What each holds of the workspace follows from the package.json of what it runs (packages/operator/images/tree.sh).
# Sources run as they are. They keep the workspace's layout, since Node strips no types under node_modules.
# Lines that make a tree name no absolute path: the tests run them outside of an engine, in a folder of their own.

ARG NODE_IMAGE=node:24.21.0-slim

# The workspace's manifests alone, so that a change of sources installs nothing again.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS manifests
WORKDIR /build
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml modules/
COPY packages modules/packages
COPY services modules/services
RUN find modules -mindepth 3 ! -regex 'modules/[a-z]*/[^/]*/package.json' -delete

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS workspace
# Another npm registry than the default one. The secrets: `npmrc`, a file .npmrc for one that asks who you are, and `extra-ca`, its
# certificate authorities in PEM. No image contains any of them.
ARG NPM_REGISTRY=
# pnpm checked the age of each version when it was locked; here the digests in the lock file suffice.
ENV NPM_CONFIG_REGISTRY=${NPM_REGISTRY} PNPM_CONFIG_REGISTRY=${NPM_REGISTRY} NPM_CONFIG_USERCONFIG=/run/secrets/npmrc \
    NODE_EXTRA_CA_CERTS=/build/extra-ca.pem PNPM_CONFIG_TRUST_LOCKFILE=true
WORKDIR /build
RUN --mount=type=secret,id=extra-ca,target=/build/given-ca.pem cat given-ca.pem > extra-ca.pem 2> /dev/null || true
COPY package.json packages/operator/images/tree.sh ./
# package.json alone names the version.
RUN --mount=type=secret,id=npmrc npm install --prefix tools "$(node --print 'require("./package.json").packageManager')"
COPY --from=manifests /build ./

FROM workspace AS proxy-tree
RUN --mount=type=secret,id=npmrc sh tree.sh modules proxy
COPY . sources
RUN sh tree.sh sources

FROM workspace AS writer-tree
RUN --mount=type=secret,id=npmrc sh tree.sh modules writer
COPY . sources
RUN sh tree.sh sources

FROM workspace AS management-tree
RUN --mount=type=secret,id=npmrc sh tree.sh modules management
COPY . sources
RUN sh tree.sh sources

FROM workspace AS operator-tree
RUN --mount=type=secret,id=npmrc sh tree.sh modules operator
COPY . sources
# With the chart, whose values `check-deploy` reads.
RUN sh tree.sh sources k8s/chart

FROM workspace AS cli-tree
RUN --mount=type=secret,id=npmrc sh tree.sh modules cli
COPY . sources
# What `agp agents evidence` lays beside what it wrote.
RUN sh tree.sh sources docs/lineage

FROM workspace AS demo-provider-tree
RUN --mount=type=secret,id=npmrc sh tree.sh modules demo-provider
COPY . sources
RUN sh tree.sh sources

# The console's static files. Unlike what runs, they are built, and so need tools that are no dependencies of production.
FROM workspace AS console
WORKDIR /build/modules
RUN --mount=type=secret,id=npmrc ../tools/node_modules/.bin/pnpm install --frozen-lockfile --ignore-scripts --filter '@agp/console...'
COPY . .
RUN node packages/console/build/main.ts
RUN chmod -R u=rwX,go=rX packages/console/dist

# What an image holds besides our files: Node, the libraries that it loads, and of which packages they are, for scanners. No shell, no
# package manager, and no file of certificate authorities: Node brings its own.
FROM ${NODE_IMAGE} AS system
SHELL ["/bin/sh", "-eu", "-c"]
RUN mkdir -p /system/etc /system/usr/local/bin /system/var/lib/dpkg/status.d; \
    mkdir -m 1777 /system/tmp; \
    cp /usr/local/bin/node /system/usr/local/bin/; \
    cp -L /etc/os-release /system/etc/; \
    echo 'root:x:0:0:root:/nonexistent:/usr/sbin/nologin' > /system/etc/passwd; \
    echo 'node:x:1000:1000:node:/nonexistent:/usr/sbin/nologin' >> /system/etc/passwd; \
    printf 'root:x:0:\nnode:x:1000:\n' > /system/etc/group; \
    echo 'hosts: files dns' > /system/etc/nsswitch.conf; \
    for file in $(ldd /usr/local/bin/node | grep -o '/[^ ]*'); do \
      install -D "$file" "/system$file"; \
      package=$(dpkg-query --search "*/${file##*/}" | head -n 1 | cut -d : -f 1); \
      dpkg-query --status "$package" > "/system/var/lib/dpkg/status.d/$package"; \
    done

FROM scratch AS runtime
COPY --from=system /system /
ENV NODE_ENV=production PATH=/usr/local/bin
WORKDIR /app
# By number, so that Kubernetes can see that it is not root. It owns no file in the image.
USER 1000:1000
LABEL org.opencontainers.image.vendor="Agent Governance Proxy" \
      org.opencontainers.image.version="0.4.0" \
      org.opencontainers.image.licenses="MIT"

# Images with an ops port, OPS_PORT in each.
FROM runtime AS service
# A start of Node each, 0.08 s of CPU time: `fetch` would take twice that.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "http.get(`http://127.0.0.1:${process.env.OPS_PORT}/readyz`, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]

FROM service AS proxy
LABEL org.opencontainers.image.title="agent-governance-proxy/proxy" \
      org.opencontainers.image.description="What agents call in place of their model providers"
COPY --from=proxy-tree /build/modules ./
COPY --from=proxy-tree /build/image ./
ENV OPS_PORT=9080
EXPOSE 8080 9080
# The flag is the one in packages/local-stack/src/local-stack-config.ts. Node is process 1 and gets the signals itself.
ENTRYPOINT ["node", "--max-semi-space-size=32", "services/proxy/src/main.ts"]

FROM service AS writer
LABEL org.opencontainers.image.title="agent-governance-proxy/writer" \
      org.opencontainers.image.description="Records the events that proxies hand to NATS in Postgres"
COPY --from=writer-tree /build/modules ./
COPY --from=writer-tree /build/image ./
ENV OPS_PORT=9082
EXPOSE 9082
ENTRYPOINT ["node", "--max-semi-space-size=32", "services/writer/src/main.ts"]

FROM service AS management
LABEL org.opencontainers.image.title="agent-governance-proxy/management" \
      org.opencontainers.image.description="The management API"
COPY --from=management-tree /build/modules ./
COPY --from=management-tree /build/image ./
COPY --from=console /build/modules/packages/console/dist packages/console/dist
ENV OPS_PORT=9081
EXPOSE 8081 9081
ENTRYPOINT ["node", "--max-semi-space-size=32", "services/management/src/main.ts"]

# The commands of operators, in packages/operator/src/commands.
FROM runtime AS migrate
LABEL org.opencontainers.image.title="agent-governance-proxy/migrate" \
      org.opencontainers.image.description="Brings the database's schema up to date"
COPY --from=operator-tree /build/modules ./
COPY --from=operator-tree /build/image ./
ENTRYPOINT ["node"]
CMD ["packages/operator/src/commands/migrate.ts"]

FROM migrate AS maintenance
LABEL org.opencontainers.image.title="agent-governance-proxy/maintenance" \
      org.opencontainers.image.description="Makes the partitions of coming weeks and drops those past retention"
CMD ["packages/operator/src/commands/maintain.ts"]

# Any of those commands, for those who have no clone: secrets, create-roles, quarantine ...
FROM migrate AS operator
LABEL org.opencontainers.image.title="agent-governance-proxy/operator" \
      org.opencontainers.image.description="The commands of operators, each by its name"
WORKDIR /work
ENTRYPOINT ["node", "/app/packages/operator/src/main.ts"]
CMD ["--help"]

FROM runtime AS agp
LABEL org.opencontainers.image.title="agent-governance-proxy/agp" \
      org.opencontainers.image.description="The command line of the management API"
COPY --from=cli-tree /build/modules ./
COPY --from=cli-tree /build/image ./
# Files that an argument names are looked for where the caller's folder is mounted.
WORKDIR /work
ENV PROGRAM_NAME=agp
ENTRYPOINT ["node", "/app/packages/cli/src/main.ts"]

FROM runtime AS demo-provider
LABEL org.opencontainers.image.title="agent-governance-proxy/demo-provider" \
      org.opencontainers.image.description="A simulated model provider, to try the product without an account"
COPY --from=demo-provider-tree /build/modules ./
COPY --from=demo-provider-tree /build/image ./
ENV HOST=0.0.0.0 PORT=8090
EXPOSE 8090
ENTRYPOINT ["node", "packages/demo-provider/src/main.ts"]
