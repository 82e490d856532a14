// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The terms of one deal, as EIP-712 type `Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)`.
/// @dev `token` zero is the native coin; `payer` zero lets anyone pay; `amount` in base units (wei for the native coin);
///      `expiresAt` in Unix seconds, exclusive: payable while `block.timestamp < expiresAt`.
struct Deal {
    uint256 dealId;
    address token;
    address payee;
    address payer;
    uint256 amount;
    uint256 expiresAt;
}

/// @notice All that the chain keeps of a deal: the upper 248 bits of its terms hash and a status byte (0 none, 1 open, 2
///         paid, 3 cancelled). A tombstone, cancelled before it was created, is the bare status byte 3.
type DealWord is bytes32;

/// @notice One deal to create: its id and the EIP-712 hash of its terms.
struct DealKey {
    uint256 dealId;
    bytes32 termsHash;
}

/// @notice One call of the batcher: creates `deals` on `diamond`.
/// @dev `gasLimit` is the maximum gas of the call.
struct DiamondBatch {
    address diamond;
    uint256 gasLimit;
    DealKey[] deals;
}

/// @notice One call of the batcher: cancels the deals with these ids on `diamond`.
/// @dev `gasLimit` is the maximum gas of the call.
struct CancelBatch {
    address diamond;
    uint256 gasLimit;
    uint256[] dealIds;
}
