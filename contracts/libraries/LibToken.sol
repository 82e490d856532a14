// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "../interfaces/IERC20.sol";

/// @notice Calls to untrusted tokens and payees.
/// @dev Accepts tokens that return nothing or true. Copies no more of an answer than it reads, so a huge one is cheap.
library LibToken {
    /// @dev A longer revert reason of a token is replaced by `TokenCallFailed`.
    uint256 private constant MAX_REASON = 512;

    /// @notice The token is no contract, violated ERC-20, or reverted without a usable reason.
    /// @param token The token.
    error TokenCallFailed(address token);

    /// @notice Balance of an account (ERC-20), in base units; reverts for an address without code.
    /// @param token Any address.
    /// @param account The holder.
    /// @return units Base units.
    function balanceOf(address token, address account) internal view returns (uint256 units) {
        bytes memory data = abi.encodeCall(IERC20.balanceOf, (account));
        bool ok;
        assembly ("memory-safe") {
            ok := staticcall(gas(), token, add(data, 0x20), mload(data), 0x00, 0x20)
            ok := and(ok, gt(returndatasize(), 0x1f))
            units := mload(0x00)
        }
        if (!ok) revert TokenCallFailed(token);
    }

    /// @notice Moves the diamond's own tokens.
    /// @param token A token that has code.
    /// @param to Receives them.
    /// @param amount Base units.
    function transfer(address token, address to, uint256 amount) internal {
        invoke(token, abi.encodeCall(IERC20.transfer, (to, amount)));
    }

    /// @notice Moves tokens of `from` by the allowance given to the diamond.
    /// @param token A token that has code.
    /// @param from Pays.
    /// @param to Receives them.
    /// @param amount Base units.
    function transferFrom(address token, address from, address to, uint256 amount) internal {
        invoke(token, abi.encodeCall(IERC20.transferFrom, (from, to, amount)));
    }

    /// @notice Tries an EIP-2612 permit of `owner` for the diamond and ignores its outcome.
    /// @dev Anyone can take a permit from the mempool and use it first. The allowance then exists all the same; without
    ///      an allowance, the transfer that follows fails.
    /// @param token A token that has code.
    /// @param owner The signer.
    /// @param amount Base units.
    /// @param deadline Unix seconds after which the permit is void.
    /// @param v Recovery byte of the signature.
    /// @param r First half of the signature.
    /// @param s Second half of the signature.
    function tryPermit(address token, address owner, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        internal
    {
        bytes memory data = abi.encodeCall(IERC20.permit, (owner, address(this), amount, deadline, v, r, s));
        assembly ("memory-safe") {
            pop(call(gas(), token, 0, add(data, 0x20), mload(data), 0x00, 0x00))
        }
    }

    /// @notice Sends native coin with all gas; false when the receiver refuses.
    /// @param to Receives it.
    /// @param amount Wei.
    /// @return ok False when the receiver refuses.
    function sendNative(address to, uint256 amount) internal returns (bool ok) {
        assembly ("memory-safe") {
            ok := call(gas(), to, amount, 0x00, 0x00, 0x00, 0x00)
        }
    }

    /// @dev Callers have read a balance before, so the token has code.
    function invoke(address token, bytes memory data) private {
        bool ok;
        uint256 size;
        uint256 answer;
        assembly ("memory-safe") {
            ok := call(gas(), token, 0, add(data, 0x20), mload(data), 0x00, 0x20)
            size := returndatasize()
            answer := mload(0x00)
        }
        if (!ok) {
            if (size == 0 || size > MAX_REASON) revert TokenCallFailed(token);
            assembly ("memory-safe") {
                let reason := mload(0x40)
                returndatacopy(reason, 0, size)
                revert(reason, size)
            }
        }
        if (size != 0 && (size < 32 || answer != 1)) revert TokenCallFailed(token);
    }
}
