# The operator. Without arguments the GitLab kinds are not compiled in. Dockerfile.bridge is this file with TAGS=bridge:
# `task generate` writes it from here.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# TAGS lists build tags, separated by commas; VERSION is what the program calls itself.
ARG TAGS=
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -tags "${TAGS}" -ldflags "-X main.version=${VERSION}" -o /out/manager ./cmd/manager && \
    mkdir -p charts

FROM gcr.io/distroless/static:nonroot
ARG VERSION=dev
LABEL org.opencontainers.image.title="Portcullis" \
      org.opencontainers.image.description="A Kubernetes operator for GitLab that refuses at apply what is known to be wrong" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /out/manager /manager
COPY --from=build /src/charts /charts
ENV HELM_CHARTS=/charts
USER 65532:65532
ENTRYPOINT ["/manager"]
