// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The roles of this release. The registry stores any 32 bytes, so later facets may add roles.
library Roles {
    /// @notice Creates and cancels deals: a worker's key, and the batcher.
    bytes32 internal constant OPERATOR = "operator";
    /// @notice Cuts diamonds to approved facets: a worker's key.
    bytes32 internal constant UPGRADER = "upgrader";
    /// @notice Offers deals by signatures: a worker's key, which needs no coins.
    bytes32 internal constant SIGNER = "signer";
    /// @notice Pauses, revokes facets and takes the other roles away: a key kept at hand for emergencies.
    bytes32 internal constant GUARDIAN = "guardian";
}
