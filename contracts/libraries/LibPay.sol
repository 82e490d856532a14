// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealWord} from "../interfaces/DealTypes.sol";
import {IDealFacet} from "../interfaces/IDealFacet.sol";
import {LibDeals} from "./LibDeals.sol";
import {LibToken} from "./LibToken.sol";

/// @notice The parts that all ways to pay share: the terms that may be paid, the paid word, and the money.
/// @dev A facet checks first that the deal may be paid: by its word, or by an offer of a signer.
library LibPay {
    using LibDeals for DealWord;

    /// @notice Reverts for terms in native coin.
    /// @param deal Any terms.
    function requireToken(Deal calldata deal) internal pure {
        if (deal.token == address(0)) revert IDealFacet.WrongToken(deal.token);
    }

    /// @notice Reverts for terms with a token, and for a call with another value than is due.
    /// @param deal Any terms.
    function requireCoins(Deal calldata deal) internal view {
        if (deal.token != address(0)) revert IDealFacet.WrongToken(deal.token);
        if (msg.value != deal.amount) revert IDealFacet.WrongValue(msg.value, deal.amount);
    }

    /// @notice Marks a deal paid, before any money moves. Reverts for expired or senseless terms and for a foreign payer.
    /// @param deal The terms that the caller pays.
    /// @param terms Their hash, whose word the caller has checked.
    function markPaid(Deal calldata deal, bytes32 terms) internal {
        if (block.timestamp >= deal.expiresAt) {
            revert IDealFacet.DealExpired(deal.dealId, deal.expiresAt, block.timestamp);
        }
        if (deal.payer != address(0) && msg.sender != deal.payer) {
            revert IDealFacet.NotPayer(msg.sender, deal.payer);
        }
        if (deal.payee == address(0) || deal.payee == address(this)) revert IDealFacet.InvalidPayee(deal.payee);
        if (deal.amount == 0) revert IDealFacet.InvalidAmount(deal.amount);

        LibDeals.write(deal.dealId, DealWord.wrap(terms).withStatus(LibDeals.PAID));
        emit IDealFacet.DealPaid(deal.dealId, terms, msg.sender, deal.token, deal.payee, deal.amount);
    }

    /// @notice Moves the tokens from the caller to the payee.
    /// @dev Exact to the unit: the payment fails with a token that takes a fee or credits nothing.
    /// @param deal Terms that are marked paid.
    function pullToken(Deal calldata deal) internal {
        uint256 beforehand = LibToken.balanceOf(deal.token, deal.payee);
        LibToken.transferFrom(deal.token, msg.sender, deal.payee, deal.amount);
        uint256 afterwards = LibToken.balanceOf(deal.token, deal.payee);
        uint256 received = afterwards > beforehand ? afterwards - beforehand : 0;
        if (received != deal.amount) revert IDealFacet.InexactTransfer(received, deal.amount);
    }

    /// @notice Passes the value of the call on to the payee.
    /// @param deal Terms that are marked paid.
    function sendCoins(Deal calldata deal) internal {
        if (!LibToken.sendNative(deal.payee, deal.amount)) revert IDealFacet.NativeTransferFailed(deal.payee);
    }
}
